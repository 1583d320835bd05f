import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'

interface StepProps {
	number: number
	title: string
	isDone: boolean
	children: ReactNode
}

/** One step of a path; it turns green by itself when it is done. */
export function Step({ number, title, isDone, children }: StepProps) {
	return (
		<li className="relative flex gap-3 pb-5 last:pb-0 [&:not(:last-child)]:before:absolute [&:not(:last-child)]:before:top-7 [&:not(:last-child)]:before:bottom-1 [&:not(:last-child)]:before:left-3 [&:not(:last-child)]:before:w-px [&:not(:last-child)]:before:bg-line">
			<span
				className={cn(
					'grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold tabular-nums',
					isDone ? 'bg-ok-soft text-ok' : 'bg-sunken text-ink-2',
				)}
			>
				{isDone ? <Icon name="check" className="size-3.5" /> : number}
			</span>
			<div className="min-w-0 flex-1 pt-0.5">
				<h3 className="font-semibold">
					{title}
					{isDone && <span className="sr-only"> – done</span>}
				</h3>
				<div className="mt-1 text-ink-2">{children}</div>
			</div>
		</li>
	)
}

interface FirstTraceProps {
	/** What is awaited: `span`. */
	what: string
	/** Trace of what arrived; undefined until then. */
	traceId: string | undefined
	/** A sentence about what arrived. */
	children: ReactNode
}

/** Shows that it is waiting, and then links to the trace that arrived. */
export function FirstTrace({ what, traceId, children }: FirstTraceProps) {
	return (
		<div
			role="status"
			className={cn(
				'mt-2 flex min-h-10 flex-wrap items-center gap-2 rounded-lg px-3 py-2 font-medium transition-colors',
				traceId ? 'bg-ok-soft text-ok' : 'bg-sunken text-ink-2',
			)}
		>
			{traceId ? (
				<>
					<span className="flex min-w-0 items-start gap-2">
						<Icon name="check" className="mt-0.5 shrink-0" />
						<span className="min-w-0">{children}</span>
					</span>
					<Link to="/traces/$traceId" params={{ traceId }} className="underline underline-offset-2">
						See the trace
					</Link>
				</>
			) : (
				<>
					<span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-warn" />
					Waiting for the first {what}…
				</>
			)}
		</div>
	)
}
