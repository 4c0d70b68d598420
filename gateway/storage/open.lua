-- Counts under a lineage from now on.
--
-- KEYS  1 the lineage in use   2 who has it closed
-- ARGV  1 token  2 lineage
-- Gives 1, or 0 when it is not closed by this token: somebody took over, or the memory was lost.

if redis.call('GET', KEYS[1]) ~= 'closed:' .. ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[2])
return 1
