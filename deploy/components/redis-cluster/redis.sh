#!/bin/sh
# Starts one node. Its address is another one after each start of the pod: it tells the others.
set -eu
exec redis-server /etc/redis/redis.conf --cluster-announce-ip "$POD_IP"
