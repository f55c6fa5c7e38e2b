/**
 * The Python program around the code of a call: it gives up root and sets its limits first (nothing of this can be
 * undone by what runs later), then runs the code from stdin and prints the value of a last expression, as a console does.
 */
export const PYTHON_RUNNER = `
import json, os, resource, sys
limits = json.loads(sys.argv[1])
source = sys.stdin.buffer.read().decode('utf-8')
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(1, 2)
def limit(kind, value):
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))
try:
    with open('/proc/self/oom_score_adj', 'w') as file:
        file.write('1000')
except OSError:
    pass
if limits['uid'] is not None and os.geteuid() == 0:
    os.chmod('/tmp', 0o1777)
    os.chmod('/dev/shm', 0o1777)
    os.setgroups([])
    os.setresgid(limits['uid'], limits['uid'], limits['uid'])
    os.setresuid(limits['uid'], limits['uid'], limits['uid'])
limit(resource.RLIMIT_CORE, 0)
limit(resource.RLIMIT_FSIZE, limits['file'])
limit(resource.RLIMIT_NOFILE, 128)
limit(resource.RLIMIT_CPU, limits['cpu'])
if limits['processes'] is not None:
    limit(resource.RLIMIT_NPROC, limits['processes'])
limit(resource.RLIMIT_AS, limits['memory'])
sys.argv = ['code']
del limits, limit, json, resource
import ast, traceback
def main():
    names = {'__name__': '__main__', '__builtins__': __builtins__}
    try:
        tree = ast.parse(source, '<code>')
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, '<code>', 'exec'), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), '<code>', 'eval'), names)
            if value is not None:
                print(repr(value))
    except SystemExit:
        raise
    except SyntaxError as error:
        traceback.print_exception(type(error), error, None)
        sys.exit(1)
    except BaseException as error:
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
        sys.exit(1)
    finally:
        sys.stdout.flush()
main()
`;
