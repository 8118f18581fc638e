// Package keys keeps shadowd's keys in files: the envelope key, the signing
// key, and those of the users of a bus. It creates, rotates, exports and
// restores them. Every file has mode 0600, no error shows anything of a
// secret, and no key is ever overwritten but by a rotation, which keeps it.
// A crash leaves the old file or the new one.
//
// It does not protect keys from who can read the files: encrypt the disk.
package keys
