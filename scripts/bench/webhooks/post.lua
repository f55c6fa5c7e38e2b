-- Signed 2 KB posts. Every request has a new delivery id and a new body, unless ID is set: what was signed once is a duplicate
-- whatever its id. SIGNATURES holds one signature for each body, which differ in the number behind "n":.
local file = io.open(os.getenv('BODY'), 'rb')
wrk.body = file:read('*a')
file:close()
wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.headers['X-GitHub-Event'] = 'push'
if os.getenv('ID') then
  -- The same request every time: wrk formats it once.
  wrk.headers['X-Hub-Signature-256'] = os.getenv('SIGNATURE')
  wrk.headers['X-GitHub-Delivery'] = os.getenv('ID')
else
  local from, to = wrk.body:find('"n":%d+')
  local head, tail = wrk.body:sub(1, from + 3), wrk.body:sub(to + 1)
  local first = tonumber(os.getenv('FIRST'))
  local signatures = {}
  for line in io.lines(os.getenv('SIGNATURES')) do signatures[#signatures + 1] = line end
  local count = 0
  function request()
    count = count % #signatures + 1
    local number = first + count - 1
    wrk.headers['X-Hub-Signature-256'] = signatures[count]
    wrk.headers['X-GitHub-Delivery'] = 'd-' .. number
    return wrk.format(nil, nil, nil, head .. number .. tail)
  end
end
