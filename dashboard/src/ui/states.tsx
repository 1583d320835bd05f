import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { ApiError } from '../api.ts'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { CopyText } from './copy.tsx'
import { Icon, type IconName } from './icons.tsx'

// The error catalogue is loaded when a failure is shown; if that is not possible, the failure is shown without advice.
const Advice = lazy<(props: { code: string; className: string }) => ReactNode>(() =>
	import('./advice.tsx').then(
		({ Advice }) => ({ default: Advice }),
		() => ({ default: () => null }),
	),
)

/** Its text may contain a name that is one long word. */
const placeClass = 'grid justify-items-center gap-1 px-6 py-12 text-center wrap-anywhere'

/** An empty place: what it is for, and the first step. */
export function Empty({
	icon,
	title,
	children,
	action,
}: {
	icon: IconName
	title: string
	children: ReactNode
	action?: ReactNode
}) {
	return (
		<div data-testid="empty" className={placeClass}>
			<span className="mb-2 grid size-10 place-items-center rounded-full bg-sunken text-ink-3">
				<Icon name={icon} className="size-5" />
			</span>
			<h2 className="text-sm font-semibold">{title}</h2>
			<div className="max-w-md text-ink-2">{children}</div>
			{action && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
		</div>
	)
}

/** For a whole place that could not be loaded: what happened, the request id, what to do. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
	const { title, detail, code, requestId } = describe(error)
	const isRetrying = useRetries(error, retry)
	return (
		<div role="alert" className={placeClass}>
			<span className="mb-2 grid size-10 place-items-center rounded-full bg-bad-soft text-bad">
				<Icon name="alert" className="size-5" />
			</span>
			<h2 className="text-sm font-semibold">{title}</h2>
			{detail && <p className="max-w-lg text-ink-2">{detail}</p>}
			{isRetrying ? (
				<p className="text-ink-3">Retrying automatically…</p>
			) : (
				<Suspense>
					<Advice code={code} className="max-w-lg text-ink-3" />
				</Suspense>
			)}
			{requestId && (
				<p className="mt-1 flex items-center gap-1 text-xs text-ink-3">
					Request <CopyText text={requestId} />
				</p>
			)}
			<div className="mt-3 flex gap-2">
				{retry && (
					<Button icon="refresh" onClick={retry}>
						Try again
					</Button>
				)}
			</div>
		</div>
	)
}

const retryMs = 5000
/** No connection, too many requests, and an overloaded store or instance: all of these are temporary. */
const passing = [0, 429, 503]

/** Whether it is retried automatically, because a person could only wait. */
function useRetries(error: unknown, retry: (() => void) | undefined): boolean {
	const latest = useRef(retry)
	latest.current = retry
	const isRetrying = retry !== undefined && error instanceof ApiError && passing.includes(error.status)
	useEffect(() => {
		if (!isRetrying) return
		const again = () => latest.current?.()
		const timer = setInterval(again, retryMs)
		addEventListener('online', again)
		return () => {
			clearInterval(timer)
			removeEventListener('online', again)
		}
	}, [isRetrying])
	return isRetrying
}

/** A failure next to the form that caused it. */
export function InlineError({ error }: { error: unknown }) {
	const { title, detail, code, requestId } = describe(error)
	return (
		<div role="alert" className="mt-3 flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
			<Icon name="alert" className="mt-0.5" />
			<div className="min-w-0">
				<p className="font-medium">{title}</p>
				{detail && <p className="break-words">{detail}</p>}
				<Suspense>
					<Advice code={code} className="break-words" />
				</Suspense>
				{requestId && <p className="mt-0.5 break-all font-mono text-xs">request {requestId}</p>}
			</div>
		</div>
	)
}

/** Names for parts of a request that people do not see. */
const titles: Record<string, string> = {
	precondition_failed: 'It was changed in the meantime',
	unauthenticated: 'You are not signed in',
	invalid_host: 'Signalbox is not reached by this address',
	method_not_allowed: 'Not available here',
	headers_too_large: 'The request is larger than the limit',
	idempotency_in_progress: 'The same change is still being made',
	idempotency_mismatch: 'Another change was sent under this name',
}

function describe(error: unknown): { title: string; detail: string; code: string; requestId: string | null } {
	if (error instanceof ApiError) {
		const title = titles[error.code] ?? error.title
		return {
			title,
			// A failure without a text of its own has its title as its text.
			detail: error.message === error.title ? '' : error.message,
			code: error.code,
			requestId: error.requestId,
		}
	}
	const detail = error instanceof Error ? error.message : String(error)
	return { title: 'This screen failed', detail, code: 'unknown', requestId: null }
}

/** A grey placeholder of the size of the content that is loading. */
export function Skeleton({ className }: { className?: string }) {
	return <span aria-hidden="true" className={cn('block animate-pulse rounded bg-line', className)} />
}

export function SkeletonRows({ rows = 5 }: { rows?: number }) {
	return (
		<div role="status" aria-label="Loading" className="grid gap-3 p-4">
			{Array.from({ length: rows }, (_, row) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
				<Skeleton key={row} className={cn('h-4', row % 2 ? 'w-4/5' : 'w-full')} />
			))}
		</div>
	)
}
