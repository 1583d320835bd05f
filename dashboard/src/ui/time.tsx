import { useSyncExternalStore } from 'react'
import { formatAgo, formatDateTime, formatUntil } from '../lib/format.ts'

let nowMs = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
	nowMs = Date.now()
	for (const listener of listeners) listener()
}, 5000)

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

/** The time since an event; all instances share one clock. The exact time is in its title. */
export function Ago({ at, never = 'never' }: { at: string | null; never?: string }) {
	const now = useSyncExternalStore(subscribe, () => nowMs)
	if (at === null) return <span className="text-ink-3">{never}</span>
	return (
		<time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
			{formatAgo(at, Math.max(now, Date.parse(at)))}
		</time>
	)
}

/** The time until an event; the exact time is in its title. */
export function Until({ at }: { at: string }) {
	const now = useSyncExternalStore(subscribe, () => nowMs)
	return (
		<time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
			{formatUntil(at, now)}
		</time>
	)
}
