/** An address that a client of another product shows to people, and the page of the console that it stands for. */
export type ClientLink = {
  /** With `:organisation`, the slug of the deployment; `-` is any. */
  path: string
  /** Below the pages of the deployment. */
  page: (query: URLSearchParams) => string
}

/** What such a client asks for and nobody gets, with the sentence that it shows. */
export type RefusedRoute = { method: 'GET' | 'POST'; path: string; message: string }
