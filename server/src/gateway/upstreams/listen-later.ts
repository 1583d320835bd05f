import type { Listening } from './upstream.ts'

const firstRetryMs = 1000
const longestRetryMs = 60_000

/** Listens as soon as that can be begun: a token may be missing until a person agrees. Meanwhile nothing can be subscribed to. */
export function listenLater(open: () => Promise<Listening>): Listening {
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let waitMs = firstRetryMs
	const begin = () => {
		const beginning = open()
		beginning.catch(() => {
			if (!isClosed) timer = setTimeout(again, waitMs).unref()
			waitMs = Math.min(longestRetryMs, waitMs * 2)
		})
		return beginning
	}
	const again = () => {
		opened = begin()
	}
	let opened = begin()
	return {
		subscribe: async (uri) => (await opened).subscribe(uri),
		unsubscribe: async (uri) => (await opened).unsubscribe(uri),
		close: () => {
			if (isClosed) return
			isClosed = true
			if (timer) clearTimeout(timer)
			opened.then(
				(listening) => listening.close(),
				() => {},
			)
		},
	}
}
