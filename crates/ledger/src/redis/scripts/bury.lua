#!lua
-- KEYS: topic, dead letters. ARGV: 1 group, 2 id, 3 payload, 4 error
if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 1 then
  redis.call('XADD', KEYS[2], '*', 'p', ARGV[3], 'e', ARGV[4])
end
return 0
