#!lua
-- KEYS: log, deadlines. ARGV: 1 log's name, 2 milliseconds
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0
