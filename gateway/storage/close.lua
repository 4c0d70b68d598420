-- Stops counting until `open.lua` comes with the same token.
--
-- KEYS  1 the lineage in use   2 who has it closed
-- ARGV  1 token  2 for how many milliseconds nobody else may close it
-- Gives 1, or 0 while somebody else has it closed.

if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2])
    and redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], 'closed:' .. ARGV[1])
return 1
