#!lua
-- KEYS: topic, hint channel. ARGV: 1 payload, 2 hint
redis.call('XADD', KEYS[1], '*', 'p', ARGV[1])
redis.call('SPUBLISH', KEYS[2], ARGV[2])
return 0
