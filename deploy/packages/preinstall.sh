#!/bin/sh
# The user of the unit. A package that goes leaves it, as it leaves the data.
set -e
getent passwd shadowd >/dev/null ||
  useradd --system --user-group --home-dir /var/lib/shadowd --shell /usr/sbin/nologin shadowd
