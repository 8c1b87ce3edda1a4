/** Leads whoever is in a part of the page that is about to go back to the current row of the list: otherwise the focus is lost. */
export function returnToList(leaving: string): void {
  if (!document.activeElement?.closest(leaving)) return
  document.querySelector<HTMLElement>('[role=grid] [role=row].current')?.focus({ preventScroll: true })
}
