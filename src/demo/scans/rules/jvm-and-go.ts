import type { DemoRule } from './rule.ts'

const java = { tool: 'Semgrep OSS', stacks: ['maven'] } satisfies Partial<DemoRule>
const go = { tool: 'Semgrep OSS', stacks: ['gomod'] } satisfies Partial<DemoRule>

export const jvmAndGoRules: DemoRule[] = [
  {
    ...java,
    id: 'java.spring.security.injection.tainted-sql-string',
    title: 'SQL is built from a request',
    help: 'Whoever sends the request writes a part of the statement. Use parameters of a prepared statement.',
    cwe: 'CWE-89',
    owasp: 'A03:2021 - Injection',
    score: 9.1,
    confidence: 'HIGH',
    often: 2,
    code: `
. @GetMapping("/{thing}")
1 public List<{Thing}> {verb}{Thing}(@RequestParam String customer) {
2   String query = "select * from {thing} where customer_id = '" + customer + "'";
!   return jdbc.query(query, {Thing}Mapper.INSTANCE);
. }`,
  },
  {
    ...java,
    id: 'java.lang.security.audit.xxe.documentbuilderfactory-disallow-doctype-decl-missing',
    title: 'XML may load foreign entities',
    help: 'A document can make the parser read files and call addresses. Disallow document type declarations.',
    cwe: 'CWE-611',
    owasp: 'A05:2021 - Security Misconfiguration',
    score: 7.7,
    confidence: 'HIGH',
    often: 3,
    code: `
1 {Thing} {verb}{Thing}(InputStream body) throws Exception {
.   DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
!   Document document = factory.newDocumentBuilder().parse(body);
.   return {Thing}.from(document.getDocumentElement());
. }`,
  },
  {
    ...java,
    id: 'java.lang.security.audit.object-deserialization',
    title: 'Foreign objects are deserialised',
    help: 'Reading an object runs code of its class. Use a format that has only data.',
    cwe: 'CWE-502',
    owasp: 'A08:2021 - Software and Data Integrity Failures',
    score: 8.1,
    confidence: 'MEDIUM',
    often: 2,
    code: `
1 public {Thing} {verb}{Thing}(byte[] message) throws IOException, ClassNotFoundException {
.   try (var bytes = new ByteArrayInputStream(message)) {
!     return ({Thing}) new ObjectInputStream(bytes).readObject();
.   }
. }`,
  },
  {
    ...java,
    id: 'java.lang.security.audit.crypto.weak-random',
    title: 'Chance that can be guessed',
    help: 'Numbers of Random follow from earlier ones. Use SecureRandom for what must not be guessed.',
    cwe: 'CWE-330',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 4.8,
    confidence: 'MEDIUM',
    often: 7,
    code: `
. private String {thing}Reference() {
!   long number = new Random().nextLong(1_000_000_000L);
.   return "{verb}-" + Long.toString(number, 36);
. }`,
  },
  {
    ...java,
    id: 'java.lang.security.audit.cookie-missing-httponly',
    title: 'A cookie can be read by scripts',
    help: 'Set HttpOnly on what scripts do not need.',
    cwe: 'CWE-1004',
    owasp: 'A05:2021 - Security Misconfiguration',
    score: 4.2,
    confidence: 'HIGH',
    often: 6,
    code: `
. Cookie cookie = new Cookie("{thing}", {thing}.reference());
. cookie.setPath("/{thing}/{verb}");
. cookie.setSecure(true);
! response.addCookie(cookie);`,
  },
  {
    ...java,
    id: 'java.lang.security.audit.crypto.use-of-sha1',
    title: 'SHA-1 is used',
    help: 'SHA-1 can be made to collide. Use SHA-256.',
    cwe: 'CWE-328',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 2.7,
    confidence: 'MEDIUM',
    often: 6,
    code: `
. byte[] digestOf({Thing} {thing}) throws NoSuchAlgorithmException {
!   MessageDigest digest = MessageDigest.getInstance("SHA-1");
.   return digest.digest({thing}.toString().getBytes(UTF_8)); // {verb}
. }`,
  },
  {
    ...go,
    id: 'go.lang.security.injection.tainted-sql-string',
    title: 'SQL is built from a request',
    help: 'Whoever sends the request writes a part of the statement. Pass values as arguments of Query.',
    cwe: 'CWE-89',
    owasp: 'A03:2021 - Injection',
    score: 9.1,
    confidence: 'HIGH',
    often: 1,
    code: `
. func (s *Server) {verb}{Thing}(w http.ResponseWriter, r *http.Request) {
1 	order := r.URL.Query().Get("order")
2 	query := fmt.Sprintf("select id, name from {thing} order by %s", order)
! 	rows, err := s.db.QueryContext(r.Context(), query)
. 	if err != nil {
. 		s.fail(w, err)`,
  },
  {
    ...go,
    id: 'go.lang.security.audit.net.use-tls',
    title: 'Served without TLS',
    help: 'Serve with ListenAndServeTLS, or behind something that does.',
    cwe: 'CWE-319',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 5.9,
    confidence: 'MEDIUM',
    often: 5,
    code: `
. mux := http.NewServeMux()
. mux.Handle("/{thing}/{verb}", {thing}Handler(store))
. log.Printf("{thing} at %s", address)
! if err := http.ListenAndServe(address, mux); err != nil {
. 	log.Fatal(err)
. }`,
  },
  {
    ...go,
    id: 'go.lang.security.audit.dangerous-exec-command',
    title: 'A command comes from a variable',
    help: 'Name the program in the code, and pass only arguments.',
    cwe: 'CWE-78',
    owasp: 'A03:2021 - Injection',
    score: 7.2,
    confidence: 'LOW',
    often: 3,
    code: `
1 func {verb}{Thing}(ctx context.Context, tool string, files []string) error {
. 	arguments := append([]string{"--{thing}"}, files...)
! 	command := exec.CommandContext(ctx, tool, arguments...)
. 	command.Stderr = os.Stderr
. 	return command.Run()
. }`,
  },
  {
    ...go,
    id: 'go.lang.security.audit.net.cookie-missing-secure',
    title: 'A cookie also travels without TLS',
    help: 'Set Secure and HttpOnly.',
    cwe: 'CWE-614',
    owasp: 'A05:2021 - Security Misconfiguration',
    score: 4.3,
    confidence: 'HIGH',
    often: 6,
    code: `
. func remember{Thing}(w http.ResponseWriter, id string) {
! 	http.SetCookie(w, &http.Cookie{Name: "{thing}", Value: id, Path: "/{verb}", MaxAge: 86400})
. }`,
  },
  {
    ...go,
    id: 'go.lang.security.audit.crypto.math-random',
    title: 'Chance that can be guessed',
    help: 'Use crypto/rand for what must not be guessed.',
    cwe: 'CWE-338',
    owasp: 'A02:2021 - Cryptographic Failures',
    score: 3.7,
    confidence: 'MEDIUM',
    often: 6,
    code: `
. func {thing}Code() string {
. 	digits := make([]byte, 8)
. 	for i := range digits {
! 		digits[i] = '0' + byte(rand.Intn(10)) // {verb}
. 	}
. 	return string(digits)
. }`,
  },
]
