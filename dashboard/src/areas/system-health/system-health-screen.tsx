import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatBytes, formatCount, formatDateTime, formatMs } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { useMe } from '../identity/session.ts'
import { Conservation } from './conservation.tsx'
import { Intake } from './intake.tsx'

type RecorderState = Schemas['RecorderState']

const description =
	'Whether this instance can be trusted: everything that it acknowledged is stored, or still in its log.'

/** Can I trust this instance? */
export function SystemHealthScreen() {
	const { operator } = useMe()
	if (!operator)
		return (
			<Page title="System health" description={description}>
				<Notice tone="idle">Only operators of this instance can see its status.</Notice>
			</Page>
		)
	return <Health />
}

function Health() {
	const { data, error, refetch } = useQuery({
		queryKey: ['system', 'recorder'],
		queryFn: () => unwrap(api.GET('/v1/instance/recorder')),
		refetchInterval: 2_000,
	})
	return (
		<Page title="System health" description={description}>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={6} />
			) : (
				<div className="grid grid-cols-1 gap-4">
					<Troubles state={data} />
					<ClockNotice />
					<Conservation state={data} />
					<div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
						<LogPanel state={data} />
						<Intake state={data} />
						<ChecksPanel />
					</div>
				</div>
			)}
		</Page>
	)
}

function Troubles({ state }: { state: RecorderState }) {
	return (
		<>
			{state.write_failure && (
				<Notice tone="bad" title="The log is not accepting records">
					{state.write_failure}
				</Notice>
			)}
			{state.ship_failure && (
				<Notice tone="warn" title="The telemetry store did not take the last batch">
					{state.ship_failure} What was acknowledged is in the log and is tried again.
				</Notice>
			)}
		</>
	)
}

/** Until the clock is trusted, nothing is deleted by age. Far ahead, it needs an operator's word. */
export function ClockNotice() {
	const queries = useQueryClient()
	const queryKey = ['system', 'clock']
	const { data: clock } = useQuery({
		queryKey,
		queryFn: () => unwrap(api.GET('/v1/instance/clock')),
		refetchInterval: 60_000,
	})
	const confirm = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/instance/clock/confirm')),
		onSuccess: (confirmed) => queries.setQueryData(queryKey, confirmed),
	})
	if (!clock || clock.status === 'believed') return null
	const until = clock.deletes_again_at && ` until ${formatDateTime(clock.deletes_again_at)}`
	return (
		<Notice tone="warn" title="The clock of this machine jumped ahead">
			It shows {formatDateTime(clock.now)}. Nothing is deleted by that time{until ?? ' before you confirm it'}
			.
			{clock.status === 'unconfirmed' && (
				<>
					{' '}
					If it is wrong, correct it on the machine.
					<div className="mt-2">
						<Button small busy={confirm.isPending} onClick={() => confirm.mutate()}>
							The clock is right
						</Button>
					</div>
				</>
			)}
			{confirm.error && <InlineError error={confirm.error} />}
		</Notice>
	)
}

function LogPanel({ state }: { state: RecorderState }) {
	const share = state.log_max_bytes === 0 ? 0 : state.log_bytes / state.log_max_bytes
	return (
		<Panel title="Telemetry log">
			<Facts
				facts={[
					...(state.node_url ? [['Node', state.node_url] as [string, string]] : []),
					['Size', `${formatBytes(state.log_bytes)} of at most ${formatBytes(state.log_max_bytes)}`],
					['Filled', `${(share * 100).toFixed(1)} %`],
					['Oldest waiting record', state.pending_rows > 0 ? formatMs(state.oldest_pending_ms) : 'none'],
					['Last flush to disk', formatMs(state.last_flush_ms)],
					['In-flight calls', formatCount(state.open_calls)],
					...diskFacts(state),
				]}
			/>
		</Panel>
	)
}

function diskFacts({ disk_free_bytes, disk_reserve_bytes }: RecorderState): [string, string][] {
	if (disk_free_bytes === null || disk_reserve_bytes === null) return []
	const free = formatBytes(disk_free_bytes)
	if (disk_reserve_bytes === 0) return [['Free on its disk', free]]
	return [
		['Free on its disk', `${free}; below ${formatBytes(disk_reserve_bytes)} the oldest days are deleted`],
	]
}

/** `control_store` as `Control store`. */
const checkName = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

function ChecksPanel() {
	const { data, error, refetch } = useQuery({
		queryKey: ['system', 'ready'],
		queryFn: () => unwrap(api.GET('/readyz', { params: { query: { verbose: '1' } } })),
		refetchInterval: 5_000,
	})
	const { data: version } = useQuery({
		queryKey: ['system', 'version'],
		queryFn: () => unwrap(api.GET('/version')),
	})
	return (
		<Panel title="Ready to serve" actions={data && <Badge tone="ok">ready</Badge>}>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={3} />
			) : (
				<Facts
					facts={[
						...Object.entries(data.checks ?? {}).map(([name, state]) => [checkName(name), state] as const),
						['Version', version?.version ?? '–'],
					]}
				/>
			)}
		</Panel>
	)
}
