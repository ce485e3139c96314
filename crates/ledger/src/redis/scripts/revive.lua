#!lua
-- KEYS: dead letters, topic, hint channel. ARGV: 1 id, 2 hint
local letter = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not letter then return 0 end
redis.call('XADD', KEYS[2], '*', 'p', letter[2][2])
redis.call('XDEL', KEYS[1], ARGV[1])
redis.call('SPUBLISH', KEYS[3], ARGV[2])
return 1
