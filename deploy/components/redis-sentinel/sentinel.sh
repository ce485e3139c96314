#!/bin/sh
# Starts one Sentinel. It writes what it learns into its own file, on its own volume.
set -eu
file=/data/sentinel.conf
if [ ! -s "$file" ]; then
  cat > "$file" <<CONF
port 26379
dir /data
protected-mode no
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $(hostname).sentinel
sentinel monitor nigiri redis-0.redis 6379 2
sentinel down-after-milliseconds nigiri 3000
sentinel failover-timeout nigiri 20000
sentinel parallel-syncs nigiri 1
CONF
fi
exec redis-server "$file" --sentinel
