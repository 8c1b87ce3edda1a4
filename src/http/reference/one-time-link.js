// What the pages behind one-time links do in the browser. Plain JavaScript, served as it stands.
const token = location.hash.slice(1)
// Out of the address bar, the history and whatever is copied from them.
history.replaceState(null, '', location.pathname)

const find = (id) => document.getElementById(id)
const say = (text) => {
  find('said').textContent = text
}
const complain = (text) => {
  find('wrong').textContent = text
}

async function post(path, body, bearer) {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(sentenceOf(answer))
  return answer
}

function sentenceOf({ errors, detail }) {
  if (!errors?.[0]?.detail) return detail
  const about = errors[0].pointer.slice(1)
  return `${about.charAt(0).toUpperCase()}${about.slice(1)} ${errors[0].detail}.`
}

/** Says what comes of it; what has worked cannot be sent twice. */
function onSubmit(id, work, done) {
  const form = find(id)
  if (!form) return
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    complain('')
    try {
      await work(Object.fromEntries(new FormData(form)))
      for (const each of document.querySelectorAll('form')) each.hidden = true
      say(done)
      find('next').hidden = false
    } catch (error) {
      complain(error.message)
      button.disabled = false
    }
  })
}

let email = ''
const joined = 'You have joined. Sign in from now on with your e-mail address and your password.'

onSubmit(
  'new',
  ({ name, password }) => post('/api/auth/invitations/accept', { token, ...(name && { name }), password }),
  joined,
)

onSubmit(
  'known',
  async ({ password, code }) => {
    const { accessToken } = await post('/api/auth/login', { email, password, ...(code && { code }) })
    try {
      await post('/api/people/v1/self/invitations/accept', { token }, accessToken)
    } finally {
      await fetch('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } })
    }
  },
  joined,
)

onSubmit(
  'reset',
  ({ password }) => post('/api/auth/password-reset', { token, password }),
  'Your password is set. Sign in with it.',
)

if (!token) say('Open the whole link, with what stands behind the #.')
else if (find('reset')) find('reset').hidden = false
else {
  post('/api/auth/invitations/show', { token }).then(
    (invitation) => {
      email = invitation.email
      say(`${invitation.invitedBy} invites ${email} to join "${invitation.deployment}" as ${invitation.role}.`)
      find('new').elements.name.value = invitation.name
      for (const form of document.querySelectorAll('form')) form.hidden = false
    },
    (error) => {
      complain(error.message)
      // Most who open a used link have joined by it.
      find('next').hidden = false
    },
  )
}
