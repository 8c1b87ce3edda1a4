import type { DemoRule } from './rule.ts'

const common = { tool: 'Semgrep OSS', stacks: ['pypi'] } satisfies Partial<DemoRule>

export const pythonRules: DemoRule[] = [
  {
    ...common,
    id: 'python.django.security.injection.sql.sql-injection-using-raw',
    title: 'SQL is built from a request',
    help: 'Whoever sends the request writes a part of the statement. Pass values as params of raw().',
    cwe: 'CWE-89',
    owasp: 'A03:2021 - Injection',
    score: 9.1,
    confidence: 'HIGH',
    often: 2,
    code: `
. def {verb}_{thing}(request):
1     region = request.GET.get("region", "")
2     query = "select * from {thing} where region = '%s'" % region
!     rows = {Thing}.objects.raw(query)
.     return JsonResponse({"{thing}": [row.as_dict() for row in rows]})`,
  },
  {
    ...common,
    id: 'python.lang.security.audit.subprocess-shell-true',
    title: 'A command is run by a shell',
    help: 'A shell reads meaning into spaces, quotes and semicolons. Pass a list and leave out shell=True.',
    cwe: 'CWE-78',
    owasp: 'A03:2021 - Injection',
    score: 7.8,
    confidence: 'MEDIUM',
    often: 4,
    code: `
1 def {verb}_{thing}(path: Path, target: str) -> int:
.     log.info("{verb} {thing} from %s", path)
!     done = subprocess.run(f"pg_dump -t {thing} {target} > {path}", shell=True, check=False)
.     return done.returncode`,
  },
  {
    ...common,
    id: 'python.requests.security.disabled-cert-validation',
    title: 'Certificates are not checked',
    help: 'Anybody on the way can answer. Trust the authority of the other side instead of everybody.',
    cwe: 'CWE-295',
    owasp: 'A07:2021 - Identification and Authentication Failures',
    score: 7.4,
    confidence: 'HIGH',
    often: 3,
    code: `
. def fetch_{thing}(session: requests.Session, day: date) -> list[dict]:
.     address = f"{BASE}/{thing}?day={day.isoformat()}"
!     answer = session.get(address, timeout=30, verify=False)
.     answer.raise_for_status()
.     return answer.json()["{thing}"]`,
  },
  {
    ...common,
    id: 'python.lang.security.deserialization.avoid-pickle',
    title: 'Foreign data is unpickled',
    help: 'Unpickling runs what the data says. Use JSON for what comes from elsewhere.',
    cwe: 'CWE-502',
    owasp: 'A08:2021 - Software and Data Integrity Failures',
    score: 8.1,
    confidence: 'MEDIUM',
    often: 2,
    code: `
1 def {verb}_{thing}_model(bucket, key: str):
2     body = bucket.Object(key).get()["Body"].read()
!     model = pickle.loads(body)
.     log.info("{thing} model %s has %d features", key, len(model.features))
.     return model`,
  },
  {
    ...common,
    id: 'python.flask.security.audit.directly-returned-format-string',
    title: 'A request is echoed into a page',
    help: 'What the request says is run by the browser of whoever opens the page. Render a template.',
    cwe: 'CWE-79',
    owasp: 'A03:2021 - Injection',
    score: 6.1,
    confidence: 'MEDIUM',
    often: 6,
    code: `
. @app.get("/{thing}/<name>")
1 def {verb}_{thing}_page(name: str):
.     found = repository.find_{thing}(name)
.     if found is None:
!         return f"<p>There is no {thing} called {name}.</p>", 404
.     return render_template("{thing}.html", found=found)`,
  },
  {
    ...common,
    id: 'python.lang.security.audit.logging.python-logger-credential-disclosure',
    title: 'A credential may be written to the log',
    help: 'Logs are read by more people than secrets may be. Log that there is one, not which.',
    cwe: 'CWE-532',
    owasp: 'A09:2021 - Security Logging and Monitoring Failures',
    score: 5.5,
    confidence: 'LOW',
    often: 6,
    code: `
. def connect_{thing}(settings: Settings) -> Connection:
.     address = settings.{thing}_url
!     log.debug("{verb} {thing} at %s with token %s", address, settings.token)
.     return Connection(address, settings.token)`,
  },
  {
    ...common,
    id: 'python.lang.security.insecure-hash-algorithms-md5',
    title: 'MD5 is used',
    help: 'MD5 can be made to collide. Use SHA-256.',
    cwe: 'CWE-327',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 3.1,
    confidence: 'LOW',
    often: 7,
    code: `
. def {thing}_etag(row: {Thing}) -> str:
.     text = f"{row.id}:{row.updated_at.isoformat()}"
!     return hashlib.md5(("{verb}" + text).encode()).hexdigest()`,
  },
  {
    ...common,
    id: 'python.lang.best-practice.sleep.arbitrary-sleep',
    title: 'It waits for a fixed time',
    help: 'Wait for what has to happen, with a limit.',
    cwe: 'CWE-710',
    owasp: 'A04:2021 - Insecure Design',
    score: 0,
    confidence: 'LOW',
    often: 2,
    code: `
. for attempt in range(5):
.     if {verb}_{thing}(batch):
.         break
!     time.sleep(30)  # the {thing} queue is slow in the morning`,
  },
]
