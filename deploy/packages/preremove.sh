#!/bin/sh
# dpkg says "remove", rpm how many versions stay. An upgrade stops nothing.
set -e
case "$1" in
remove | 0) [ ! -d /run/systemd/system ] || systemctl disable --now shadowd.service ;;
esac
