import { useAsk, useChange } from '../api/ask.ts'
import type { Answer, Params } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Ago } from '../ui/text/marks.tsx'
import { NewsList } from './news-list.tsx'

type Package = { ecosystem: string; name: string }
export type Watched = Answer<'listWatchedPackages'>['watches'][number]

/** What a watch is counted in, too. */
const touched = ['listWatchedPackages', 'getAttention'] as const

function paramsOf({ ecosystem, name }: Package): Params<'watchPackage'> {
  return { ecosystem, name } as Params<'watchPackage'>
}

function useWatched({ ecosystem, name }: Package) {
  const query = { ecosystem: ecosystem as Params<'watchPackage'>['ecosystem'], name }
  const asked = useAsk('listWatchedPackages', { query }, { keep: false })
  return { isKnown: asked.isSuccess, watched: asked.data?.watches[0] }
}

/** Watching is one's own business and undone by the same button: it asks nothing. */
export function WatchButton(of: Package) {
  const { isKnown, watched } = useWatched(of)
  const watch = useChange('watchPackage', touched)
  const unwatch = useChange('unwatchPackage', touched)
  const busy = !isKnown || watch.isPending || unwatch.isPending
  const toggle = async () => {
    const params = paramsOf(of)
    const [change, back] = watched ? [unwatch, watch] : [watch, unwatch]
    try {
      await change.mutateAsync({ params })
    } catch (problem) {
      sayFailure((problem as Error).message)
      return
    }
    say(
      watched ? `You no longer watch ${of.name}.` : `You watch ${of.name}. The overview says when something changes.`,
      () => back.mutateAsync({ params }),
    )
  }
  return (
    <Button disabled={busy} onClick={() => void toggle()}>
      {watched ? 'Stop watching' : 'Watch'}
    </Button>
  )
}

/** What changed since the person last looked; nothing where nothing did. */
export function NewsCard(of: Package) {
  const { watched } = useWatched(of)
  if (!watched?.hasNews) return null
  return (
    <Card title="News" aside={<SinceThen watched={watched} />}>
      <NewsList watched={watched} />
      <div>
        <SeenButton watched={watched} />
      </div>
    </Card>
  )
}

function SinceThen({ watched }: { watched: Watched }) {
  return (
    <>
      since you looked <Ago at={watched.seenAt} />
    </>
  )
}

/** There is no way back from having seen something, and nothing is lost by it: everything is on the package's page. */
export function SeenButton({ watched }: { watched: Watched }) {
  const seen = useChange('watchPackage', touched)
  return (
    <Button
      disabled={seen.isPending}
      aria-label={`Mark as seen: ${watched.name}`}
      onClick={() => seen.mutate({ params: paramsOf(watched) }, { onError: (problem) => sayFailure(problem.message) })}
    >
      Mark as seen
    </Button>
  )
}

export function UnwatchButton({ watched }: { watched: Watched }) {
  const watch = useChange('watchPackage', touched)
  const unwatch = useChange('unwatchPackage', touched)
  const params = paramsOf(watched)
  return (
    <Button
      look="plain"
      disabled={unwatch.isPending}
      aria-label={`Stop watching ${watched.name}`}
      onClick={() =>
        unwatch.mutate(
          { params },
          {
            onSuccess: () => say(`You no longer watch ${watched.name}.`, () => watch.mutateAsync({ params })),
            onError: (problem) => sayFailure(problem.message),
          },
        )
      }
    >
      Stop watching
    </Button>
  )
}
