-- Signed 2 KB posts; every request has a new delivery id unless ID is set.
local file = io.open(os.getenv('BODY'), 'rb')
wrk.body = file:read('*a')
file:close()
wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.headers['X-GitHub-Event'] = 'push'
wrk.headers['X-Hub-Signature-256'] = os.getenv('SIGNATURE')
local count = 0
if os.getenv('ID') then
  -- The same request every time: wrk formats it once.
  wrk.headers['X-GitHub-Delivery'] = os.getenv('ID')
else
  function init() base = os.getenv('RUN') .. '-' end
  function request()
    count = count + 1
    wrk.headers['X-GitHub-Delivery'] = base .. count
    return wrk.format()
  end
end
