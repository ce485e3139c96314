#!lua
-- Takes over what has been idle. KEYS: topic. ARGV: 1 group, 2 consumer, 3 idle, 4 most
-- Answer: for each message id, attempts, payload
local answer, cursor, left = {}, '0-0', tonumber(ARGV[4])
repeat
  local found = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor, 'COUNT', left)
  cursor = found[1]
  for _, message in ipairs(found[2]) do
    local pending = redis.call('XPENDING', KEYS[1], ARGV[1], message[1], message[1], 1)[1]
    answer[#answer + 1] = {message[1], pending[4], message[2][2]}
    left = left - 1
  end
until cursor == '0-0' or left <= 0
return answer
