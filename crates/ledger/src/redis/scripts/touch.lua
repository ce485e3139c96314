#!lua
-- Renews a lease ('renew'), or gives a message back ('release'), if the consumer has it.
-- KEYS: topic. ARGV: 1 group, 2 consumer, 3 id, 4 what
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1)
if pending.err then
  if string.match(pending.err, 'NOGROUP') then return 0 end
  return pending
end
if not pending[1] or pending[1][2] ~= ARGV[2] then return 0 end
if ARGV[4] == 'renew' then
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')
else
  -- Since 1970 idle, so the next claim finds it whatever it asks for.
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'TIME', 1, 'JUSTID')
end
return 1
