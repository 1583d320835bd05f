import type { Hear, Listening } from './upstream.ts'
import type { UpstreamSession } from './upstream-session.ts'

const reattachMs = 1000
const longestReattachMs = 60_000

/** Listens on a line and, when that is lost, on the next one; what may have changed meanwhile is announced once. */
export function listenOnLines(find: () => Promise<UpstreamSession>, hear: Hear): Listening {
	const uris = new Set<string>()
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let waitMs = reattachMs
	const attach = async (): Promise<Listening> => {
		const line = await find()
		line.session.then(
			() => {
				waitMs = reattachMs
			},
			() => {},
		)
		return line.listen(hear, reattach)
	}
	const begin = () => {
		const attaching = attach()
		attaching.catch(reattach)
		return attaching
	}
	/** A server that is down is tried ever more seldom. */
	const reattach = () => {
		if (isClosed) return
		timer = setTimeout(() => {
			attached = begin()
			attached.then(resubscribe, () => {})
		}, waitMs).unref()
		waitMs = Math.min(longestReattachMs, waitMs * 2)
	}
	const resubscribe = (listening: Listening) => {
		for (const uri of uris) {
			listening.subscribe(uri).catch(() => uris.delete(uri))
			hear({ kind: 'notification', method: 'notifications/resources/updated', params: { uri } })
		}
	}
	let attached = begin()
	return {
		subscribe: async (uri) => {
			await (await attached).subscribe(uri)
			uris.add(uri)
		},
		unsubscribe: async (uri) => {
			if (uris.delete(uri)) await (await attached).unsubscribe(uri)
		},
		close: () => {
			if (isClosed) return
			isClosed = true
			if (timer) clearTimeout(timer)
			attached.then(
				(listening) => listening.close(),
				() => {},
			)
		},
	}
}
