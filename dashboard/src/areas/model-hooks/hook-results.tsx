import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount, formatMs } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { linkClass } from '../../ui/link.ts'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { subjectOf } from '../telemetry/describe-span.ts'
import { type Span, spansQuery } from '../telemetry/queries.ts'
import { stageTexts } from './hook-texts.ts'
import { OutcomeBadge } from './outcome-badge.tsx'
import { conditionOfHook, type HookOutcome, outcomesOf } from './outcomes.ts'
import { changeHook, type Hook, refreshHooks } from './queries.ts'

const start = '-7d'
const shown = 20

/** The newest calls on which a hook had an effect. */
export function HookResults({ hook }: { hook: Hook }) {
	const attribute = [conditionOfHook(hook.name)]
	const { data, error } = useQuery({
		...spansQuery({ start, attribute, limit: shown }),
		refetchInterval: 5_000,
	})
	return (
		<div className="grid gap-4">
			<Mode hook={hook} />
			{error ? (
				<InlineError error={error} />
			) : !data ? (
				<SkeletonRows />
			) : data.spans.length === 0 ? (
				<p className="py-6 text-center text-ink-3">Nothing matched in the calls of the last 7 days.</p>
			) : (
				<>
					<ResultTable hook={hook} spans={data.spans} />
					<Link to="/traces" search={{ view: 'calls', start, attribute }} className={linkClass}>
						All these calls
					</Link>
				</>
			)}
		</div>
	)
}

/** What a dry run means, and how to end it. */
function Mode({ hook }: { hook: Hook }) {
	const queries = useQueryClient()
	const set = (mode: Hook['mode']) => changeHook({ id: hook.id }, { mode }).then(() => refreshHooks(queries))
	const enforce = useMutation({
		mutationFn: () => set('enforce'),
		onSuccess: () => toast(`${hook.name} is enforced`, () => set('dry_run')),
	})
	if (!hook.enabled) return <p className="text-ink-2">Disabled: it does not check calls.</p>
	if (hook.mode === 'enforce')
		return <p className="text-ink-2">Enforced: these actions were applied to calls.</p>
	return (
		<>
			<div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken px-3 py-2">
				<p className="text-ink-2">Dry run: records what it would have done, and changes nothing.</p>
				<Button small busy={enforce.isPending} onClick={() => enforce.mutate()}>
					Enforce it
				</Button>
			</div>
			{enforce.error && <InlineError error={enforce.error} />}
		</>
	)
}

function ResultTable({ hook, spans }: { hook: Hook; spans: readonly Span[] }) {
	const lines = spans.flatMap((span) =>
		outcomesOf(span.attributes)
			.filter((outcome) => outcome.hook === hook.name)
			.map((outcome) => ({ span, outcome })),
	)
	return (
		<Table label="Hook activity, newest first">
			<thead>
				<tr>
					<Th>Call</Th>
					<Th>Result</Th>
					<Th>In</Th>
					<Th right>Found</Th>
					{hook.action === 'webhook' && <Th right>Webhook took</Th>}
					<Th right>When</Th>
				</tr>
			</thead>
			<tbody>
				{lines.map(({ span, outcome }) => (
					<Row key={`${span.span_id} ${outcome.stage} ${outcome.result}`}>
						<Td className="max-w-48 min-w-32">
							<Link
								to="/traces/$traceId"
								params={{ traceId: span.trace_id }}
								search={{ span: span.span_id }}
								className="flex min-h-6 items-center font-medium hover:underline"
							>
								<span className="truncate">{subjectOf(span)}</span>
							</Link>
							{span.agent?.name && <span className="block text-xs text-ink-3">{span.agent.name}</span>}
						</Td>
						<Td title={outcome.error}>
							<OutcomeBadge outcome={outcome} />
						</Td>
						<Td className="text-ink-2">{stageNameOf(outcome)}</Td>
						<Td right>{outcome.matches === undefined ? '–' : formatCount(outcome.matches)}</Td>
						{hook.action === 'webhook' && <Td right>{formatMs(outcome.ms ?? null)}</Td>}
						<Td right className="whitespace-nowrap text-ink-2">
							<Ago at={span.started_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function stageNameOf({ stage }: HookOutcome): string {
	return stage in stageTexts ? stageTexts[stage as Hook['stages'][number]] : stage
}
