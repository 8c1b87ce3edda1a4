import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useDeployment } from '../app/deployment.ts'
import { type Answered, call, callWithTag, type Extras } from './call.ts'
import type { Answer, Input, OperationId } from './contracts.ts'
import { type Paged, pageWithSomething, passedPages } from './pages.ts'
import { Problem } from './problem.ts'

/** What failed for a passing reason is asked again, at the pace that the server asks for. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // A server on this machine or in this house answers without the internet; and what is asked for while nothing does is
    // refused there and then, not kept back to be done some time later.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => count < 2 && error instanceof Problem && (error.status === 503 || error.status === 429),
      retryDelay: (count, error) => ((error instanceof Problem && error.retryAfter) || 2 ** count) * 1_000,
    },
  },
})

/** What somebody has begun to write is kept as long as the window is open, and goes with everything else when they leave. */
queryClient.setQueryDefaults(['draft'], { gcTime: Number.POSITIVE_INFINITY })

type Interval = number | false
type Options<Data = never> = {
  enabled?: boolean
  keep?: boolean
  staleTime?: number
  refetchInterval?: Interval | ((query: { state: { data: Data | undefined } }) => Interval)
}

/** An answer of the API about the open deployment. The former answer stays on screen until the next is there. */
export function useAsk<Id extends OperationId>(id: Id, input: Input<Id> = {}, options: Options<Answer<Id>> = {}) {
  const deployment = useDeployment()
  const whole = withDeployment(input, deployment.id)
  return useQuery<Answer<Id>, Problem>({
    queryKey: [id, whole],
    queryFn: ({ signal }) => call(id, whole, { signal }),
    ...(options.keep === false ? {} : { placeholderData: keepPreviousData }),
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    ...(options.refetchInterval === undefined ? {} : { refetchInterval: options.refetchInterval }),
  })
}

/** The same with the tag of its version, for what is to be changed only as it was seen. */
export function useTagged<Id extends OperationId>(id: Id, input: Input<Id> = {}, options: Options = {}) {
  const deployment = useDeployment()
  const whole = withDeployment(input, deployment.id)
  return useQuery<{ data: Answer<Id>; etag: string | undefined }, Problem>({
    queryKey: [id, whole, 'tagged'],
    queryFn: ({ signal }) => callWithTag(id, whole, { signal }),
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
  })
}

/** A list that is read page by page: by the body where the operation has one, otherwise by the query. */
export function usePages<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: Options & { where?: 'body' | 'query' } = {},
) {
  const deployment = useDeployment()
  const whole = withDeployment(input, deployment.id)
  const where = options.where ?? 'query'
  return useInfiniteQuery<Answer<Id>, Problem>({
    queryKey: [id, whole, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      pageWithSomething(
        pageParam,
        (cursor) => {
          const page = cursor === undefined ? {} : { cursor }
          const asked = { ...whole, [where]: { ...(whole[where] as object | undefined), ...page } }
          return call(id, asked as Input<Id>, { signal })
        },
        (passed) => passedPages.tell(id, passed),
      ),
    getNextPageParam: (last) => ((last as Paged).hasMore ? (last as Paged).cursor : undefined),
    placeholderData: keepPreviousData,
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
  })
}

/** How many pages without anything a list that is being read has passed over. */
export function usePassedPages(id: OperationId): number {
  return useSyncExternalStore(passedPages.subscribe, () => passedPages.of(id))
}

type Reading = {
  hasNextPage: boolean
  isFetching: boolean
  isError: boolean
  fetchNextPage: (options?: { cancelRefetch?: boolean }) => unknown
}
/** What is under way already is not begun again. */
const once = { cancelRefetch: false }

/** Reads the next pages by itself while they are wanted. A page that cannot be read ends it. */
export function useReadOn(pages: Reading, wanted = true): void {
  const { fetchNextPage } = pages
  const goOn = wanted && pages.hasNextPage && !pages.isFetching && !pages.isError
  useEffect(() => {
    if (goOn) void fetchNextPage(once)
  }, [goOn, fetchNextPage])
}

/** For a list that is read further as it is scrolled. What failed is not asked for again and again. */
export function nextPage(pages: Reading): (() => void) | undefined {
  return pages.hasNextPage && !pages.isFetching && !pages.isError ? () => void pages.fetchNextPage(once) : undefined
}

/** All tags of the repositories that the person sees. */
export function useTags() {
  const pages = usePages('listTags', { query: { pageSize: 100 } })
  useReadOn(pages)
  return { tags: pages.data?.pages.flatMap((page) => page.tags) ?? [], isFetching: pages.isFetching }
}

/** All teams: neither a tree nor a choice can be made of a part of them. */
export function useAllTeams() {
  const pages = usePages('listTeams', { query: { pageSize: 100 } })
  useReadOn(pages)
  return { pages, teams: pages.data?.pages.flatMap((page) => page.teams) ?? [], isFetching: pages.isFetching }
}

/** A change. What it touches is read again; `touches` names the operations. */
export function useChange<Id extends OperationId>(id: Id, touches: readonly OperationId[] = []) {
  const deployment = useDeployment()
  return useMaking<Answer<Id>, Input<Id> & Extras>(touches, ({ ifMatch, idempotencyKey, ...input }) =>
    call(id, withDeployment(input as Input<Id>, deployment.id), { ifMatch, idempotencyKey }),
  )
}

/** The same with the tag of the version that it made: an undo takes back that one, and no later one. */
export function useTaggedChange<Id extends OperationId>(id: Id, touches: readonly OperationId[] = []) {
  const deployment = useDeployment()
  return useMaking<Answered<Id>, Input<Id> & Extras>(touches, ({ ifMatch, idempotencyKey, ...input }) =>
    callWithTag(id, withDeployment(input as Input<Id>, deployment.id), { ifMatch, idempotencyKey }),
  )
}

type Ends<Made> = { onSuccess?: (made: Made) => unknown; onError?: (problem: Problem) => unknown }

function useMaking<Made, Asked>(touches: readonly OperationId[], make: (asked: Asked) => Promise<Made>) {
  const client = useQueryClient()
  const mutation = useMutation<Made, Problem, Asked>({
    // Answers and inputs of changes may hold secrets: nothing of them outlives the part of the page that sent them.
    gcTime: 0,
    mutationFn: make,
    onSuccess: () => refresh(client, touches),
  })
  const { mutateAsync } = mutation
  return {
    ...mutation,
    // The library's own tells nobody whose part of the page is gone by then, or who asked for another change meanwhile.
    mutate: (asked: Asked, { onSuccess, onError }: Ends<Made> = {}) =>
      void mutateAsync(asked).then(onSuccess, onError ?? (() => undefined)),
  }
}

/** As it is on the server at this moment, with its tag; what is on screen stays. */
export function useFresh<Id extends OperationId>(id: Id) {
  const deployment = useDeployment()
  return (input: Input<Id>) => callWithTag(id, withDeployment(input, deployment.id))
}

/** The same for what belongs to the person and not to a deployment. */
export function usePlainAsk<Id extends OperationId>(id: Id, input: Input<Id> = {}) {
  return useQuery<Answer<Id>, Problem>({ queryKey: [id, input], queryFn: ({ signal }) => call(id, input, { signal }) })
}

export function usePlainChange<Id extends OperationId>(id: Id, touches: readonly OperationId[] = []) {
  return useMaking<Answer<Id>, Input<Id>>(touches, (input) => call(id, input))
}

export function refresh(client: QueryClient, touches: readonly string[]): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => touches.includes(String(queryKey[0])) })
}

function withDeployment<Id extends OperationId>(input: Input<Id>, deploymentId: number): Input<Id> {
  return { ...input, params: { deploymentId, ...input.params } as unknown as Input<Id>['params'] }
}
