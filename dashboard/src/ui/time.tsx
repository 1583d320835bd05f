import { useSyncExternalStore } from 'react'
import { serverNowMs } from '../lib/clock.ts'
import { formatAgo, formatDate, formatDateTime, formatUntil } from '../lib/format.ts'

/** Read at the first use, because the server's time is known only after its first answer. */
let nowMs: number | undefined
const readNow = () => (nowMs ??= serverNowMs())
const listeners = new Set<() => void>()
setInterval(() => {
	nowMs = serverNowMs()
	for (const listener of listeners) listener()
}, 5000)

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

/** The time since an event; all instances share one clock. The exact time is in its title. */
export function Ago({ at, never = 'never' }: { at: string | null; never?: string }) {
	const now = useSyncExternalStore(subscribe, readNow)
	if (at === null) return <span className="text-ink-3">{never}</span>
	return (
		<time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
			{formatAgo(at, Math.max(now, Date.parse(at)))}
		</time>
	)
}

/** The time until an event; the exact time is in its title. */
export function Until({ at }: { at: string }) {
	const now = useSyncExternalStore(subscribe, readNow)
	return (
		<time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
			{formatUntil(at, now)}
		</time>
	)
}

const soonMs = 48 * 3_600_000

/** The date at which something ends; in its last two days, how long it still lasts. The exact time is in its title. */
export function Expiry({ at }: { at: string | null }) {
	const now = useSyncExternalStore(subscribe, readNow)
	if (at === null) return 'never'
	const leftMs = Date.parse(at) - now
	if (leftMs > 0 && leftMs < soonMs) return <Until at={at} />
	return (
		<time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
			{formatDate(at)}
		</time>
	)
}
