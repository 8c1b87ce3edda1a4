// The search of the API reference. Plain JavaScript, served as it stands; without it the page is whole, only not searched.
const box = document.getElementById('search')
const said = document.getElementById('found')
const sections = [...document.querySelectorAll('main section')].map((section) => ({
  section,
  link: document.querySelector(`nav a[href="#${section.id}"]`).parentElement,
  text: `${section.id} ${section.textContent}`.toLowerCase(),
}))
const headings = [...document.querySelectorAll('main h2, nav h2')]

/** Every word has to be somewhere in an operation: in its name, path, description, fields or example. */
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { section, link, text } of sections) {
    const fits = words.every((word) => text.includes(word))
    section.hidden = !fits
    link.hidden = !fits
    if (fits) found++
  }
  for (const heading of headings) heading.hidden = words.length > 0
  said.textContent = words.length === 0 ? '' : `${found} of ${sections.length} operations`
}

box.addEventListener('input', search)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === box) return
  event.preventDefault()
  box.focus()
})
box.closest('p').hidden = false
search()
