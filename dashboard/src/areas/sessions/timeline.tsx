import { useRef } from 'react'
import { useKeys } from '../../lib/use-keys.ts'
import { CallLine } from './call-line.tsx'
import { MessageList } from './message-list.tsx'
import { type TimelineCall, type Turn, toTurns } from './turns.ts'

/** Model calls with the tool calls beneath them; `j` and `k` go from call to call. */
export function Timeline({ calls }: { calls: readonly TimelineCall[] }) {
	const list = useRef<HTMLOListElement>(null)
	const go = (step: 1 | -1) => {
		const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-call]') ?? [])]
		const at = links.indexOf(document.activeElement as HTMLElement)
		links[at < 0 ? 0 : at + step]?.focus()
	}
	useKeys({ j: () => go(1), k: () => go(-1) })
	return (
		<ol ref={list} aria-label="Timeline" className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line">
			{toTurns(calls).map((turn) => (
				<TurnItem key={turn.number} turn={turn} />
			))}
		</ol>
	)
}

function TurnItem({ turn: { number, model, tools } }: { turn: Turn }) {
	return (
		<li className="px-4 py-3">
			<span className="sr-only">{number === 0 ? 'Before the first model call' : `Turn ${number}`}</span>
			{model && <CallLine call={model} />}
			{model?.messages && model.messages.length > 0 && <MessageList messages={model.messages} />}
			{tools.length > 0 && (
				<ol aria-label="Tool calls" className="mt-2 ml-2 grid gap-1 border-l border-line pl-4">
					{tools.map((call) => (
						<li key={`${call.trace_id} ${call.span_id} ${call.started_at}`}>
							<CallLine call={call} />
						</li>
					))}
				</ol>
			)}
		</li>
	)
}
