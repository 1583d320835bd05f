import type { RpcNotification } from '../json-rpc/message.ts'
import type { LegacyLine } from './legacy-line.ts'
import type { Listening } from './upstream.ts'

type Hear = (notification: RpcNotification) => void

const reattachMs = 1000

/** Listens on a line and, when that is lost, on the next one; what may have changed meanwhile is announced once. */
export function listenOnLines(find: () => LegacyLine, hear: Hear): Listening {
	const uris = new Set<string>()
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	const attach = (): Listening => find().listen(hear, reattach)
	const reattach = () => {
		timer = setTimeout(() => {
			if (isClosed) return
			current = attach()
			for (const uri of uris) {
				current.subscribe(uri).catch(() => uris.delete(uri))
				hear({ kind: 'notification', method: 'notifications/resources/updated', params: { uri } })
			}
		}, reattachMs).unref()
	}
	let current = attach()
	return {
		subscribe: async (uri) => {
			await current.subscribe(uri)
			uris.add(uri)
		},
		unsubscribe: async (uri) => {
			if (uris.delete(uri)) await current.unsubscribe(uri)
		},
		close: () => {
			isClosed = true
			if (timer) clearTimeout(timer)
			current.close()
		},
	}
}
