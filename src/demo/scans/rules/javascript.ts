import type { DemoRule } from './rule.ts'

const common = { tool: 'Semgrep OSS', stacks: ['npm'] } satisfies Partial<DemoRule>

export const javascriptRules: DemoRule[] = [
  {
    ...common,
    id: 'javascript.express.security.injection.tainted-sql-string',
    title: 'SQL is built from a request',
    help: 'Whoever sends the request writes a part of the statement. Pass values as parameters of the query.',
    cwe: 'CWE-89',
    owasp: 'A03:2021 - Injection',
    score: 9.1,
    confidence: 'HIGH',
    often: 2,
    code: `
. router.get('/{thing}', async (request, response) => {
1   const { status, page = '1' } = request.query
.   const offset = (Number(page) - 1) * pageSize
2   const where = "where status = '" + status + "'"
!   const rows = await db.query('select * from {thing} ' + where + ' order by created_at limit 50 offset ' + offset)
.   response.json({ {thing}: rows.map(to{Thing}) })
. })`,
  },
  {
    ...common,
    id: 'javascript.express.security.audit.xss.direct-response-write',
    title: 'A request is echoed into a page',
    help: 'What the request says is run by the browser of whoever opens the page. Render with a template that escapes.',
    cwe: 'CWE-79',
    owasp: 'A03:2021 - Injection',
    score: 6.1,
    confidence: 'MEDIUM',
    often: 6,
    code: `
. export function {verb}{Thing}Page(request, response) {
1   const term = request.query.term ?? ''
.   const found = search{Thing}(term)
.   response.status(found.length > 0 ? 200 : 404)
!   response.send('<h1>{Thing} for ' + term + '</h1>' + list(found))
. }`,
  },
  {
    ...common,
    id: 'javascript.lang.security.audit.path-traversal.path-join-resolve-traversal',
    title: 'A path comes from a request',
    help: 'With .. in it the path leaves the folder. Resolve it and check that it still begins with the folder.',
    cwe: 'CWE-22',
    owasp: 'A01:2021 - Broken Access Control',
    score: 7.5,
    confidence: 'MEDIUM',
    often: 3,
    code: `
. app.get('/{thing}/:name/download', async (request, response) => {
1   const name = request.params.name
!   const file = path.join(uploads, '{thing}', name)
.   response.setHeader('content-disposition', 'attachment')
.   await pipeline(createReadStream(file), response)
. })`,
  },
  {
    ...common,
    id: 'javascript.jsonwebtoken.security.jwt-none-alg',
    title: 'A token without a signature is accepted',
    help: 'Anybody can write such a token. Name the algorithms that are accepted, without none.',
    cwe: 'CWE-347',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 9.4,
    confidence: 'HIGH',
    often: 1,
    code: `
. export function {verb}{Thing}Session(token) {
.   const header = jwt.decode(token, { complete: true })?.header
.   const key = keys.get(header?.kid ?? '') ?? ''
!   return jwt.verify(token, key, { algorithms: ['RS256', 'none'] })
. }`,
  },
  {
    ...common,
    id: 'javascript.lang.security.detect-child-process',
    title: 'A command comes from a variable',
    help: 'A shell runs what stands in the variable. Use execFile with a list of arguments.',
    cwe: 'CWE-78',
    owasp: 'A03:2021 - Injection',
    score: 7.2,
    confidence: 'LOW',
    often: 3,
    code: `
1 export async function {verb}{Thing}(folder, options = {}) {
.   const target = path.join(os.tmpdir(), '{thing}.zip')
2   const command = 'zip -r ' + target + ' ' + folder
!   await promisify(exec)(command, { timeout: options.timeoutMs ?? 30_000 })
.   return target
. }`,
  },
  {
    ...common,
    id: 'javascript.express.security.audit.express-cookie-session-no-secure',
    title: 'A session cookie also travels without TLS',
    help: 'Set secure, httpOnly and sameSite on the cookie of a session.',
    cwe: 'CWE-614',
    owasp: 'A05:2021 - Security Misconfiguration',
    score: 4.3,
    confidence: 'HIGH',
    often: 7,
    code: `
. app.use(
.   session({
.     name: '{thing}.sid',
.     secret: config.sessionSecret,
!     cookie: { maxAge: 12 * hour, path: '/{thing}' },
.     resave: false,
.   }),
. )`,
  },
  {
    ...common,
    id: 'javascript.lang.security.audit.detect-non-literal-regexp',
    title: 'A pattern is made of a variable',
    help: 'A pattern can be made so that matching takes for ever. Escape the text, or compare without a pattern.',
    cwe: 'CWE-1333',
    owasp: 'A05:2021 - Security Misconfiguration',
    score: 5.3,
    confidence: 'LOW',
    often: 8,
    code: `
. export function {verb}{Thing}ByName(all, wanted) {
.   if (!wanted) return all
!   const pattern = new RegExp('^{thing}-.*' + wanted, 'i')
.   return all.filter(({ name }) => pattern.test(name))
. }`,
  },
  {
    ...common,
    id: 'javascript.lang.security.audit.md5-used-as-password',
    title: 'MD5 is used for an identifier',
    help: 'MD5 can be made to collide. Use SHA-256.',
    cwe: 'CWE-328',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 3.1,
    confidence: 'MEDIUM',
    often: 6,
    code: `
. function {thing}CacheKey({ id, locale, updatedAt }) {
.   const text = [id, locale, updatedAt.getTime()].join(':')
!   return createHash('md5').update('{verb}:' + text).digest('hex')
. }`,
  },
  {
    ...common,
    id: 'javascript.browser.security.insufficient-postmessage-origin-validation',
    title: 'Messages of any window are taken',
    help: 'Compare event.origin with the origin that may send.',
    cwe: 'CWE-345',
    owasp: 'A08:2021 - Software and Data Integrity Failures',
    score: 0,
    confidence: 'LOW',
    often: 2,
    code: `
. // The {thing} widget tells its height.
! window.addEventListener('message', ({ data }) => {
.   if (data.type === '{thing}-{verb}') frame.style.height = data.height + 'px'
. })`,
  },
]
