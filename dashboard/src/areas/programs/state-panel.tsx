import { formatCounted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import type { Server } from '../servers/queries.ts'
import { describeLimits, describeState } from './describe-program.ts'
import { type Program, useProgram } from './queries.ts'

/** Is it running, since when, and what are its limits? */
export function StatePanel({ server, program }: { server: Server; program: Program }) {
	const { tone, title, text } = describeState(server.status, program)
	const actions = useProgram(server.id)
	const error = actions.turn.error ?? actions.restart.error ?? actions.install.error
	return (
		<Panel
			title={
				<span className="flex items-center gap-2">
					Program <Badge tone={tone}>{title}</Badge>
				</span>
			}
			actions={<Actions server={server} program={program} actions={actions} />}
		>
			<p role="status" className={tone === 'bad' ? 'mb-3 text-bad' : 'mb-3 text-ink-2'}>
				{text}
			</p>
			<Facts
				facts={[
					...program.processes.map(
						({ pid, started_at, sessions, shared }, at) =>
							[
								program.processes.length === 1 ? 'Process' : `Process ${at + 1}`,
								<span key={started_at}>
									{pid ?? '–'}, started <Ago at={started_at} />,{' '}
									{shared ? `shared by ${formatCounted(sessions, 'session')}` : 'of one session'}
								</span>,
							] as const,
					),
					['Starts', `${program.starts} since Signalbox started`],
					['May use', describeLimits(program.limits)],
					...(program.package
						? [['Package', <PackageFact key="package" of={program.package} />] as const]
						: []),
				]}
			/>
			{error && <InlineError error={error} />}
		</Panel>
	)
}

function PackageFact({ of: { name, version, integrity } }: { of: NonNullable<Program['package']> }) {
	return (
		<span className="flex flex-wrap items-center gap-x-2">
			<span className="font-mono text-xs">
				{name}@{version}
			</span>
			<CopyText text={integrity} short={`${integrity.slice(0, 18)}…`} />
		</span>
	)
}

interface ActionsProps {
	server: Server
	program: Program
	actions: ReturnType<typeof useProgram>
}

function Actions({ server, program, actions: { turn, restart, install } }: ActionsProps) {
	const mayRun = useCan('programs:write')
	const mayTurn = useCan('servers:write')
	const isOff = server.status === 'inactive'
	const isPackage = /(^|\/)npx$/.test(server.command ?? '')
	return (
		<>
			{isPackage && (
				<Button
					small
					disabled={!mayRun || server.status === 'deploying'}
					busy={install.isPending}
					onClick={() => install.mutate()}
				>
					{program.package ? 'Reinstall' : 'Install'}
				</Button>
			)}
			{server.status === 'active' && (
				<Button
					small
					icon="refresh"
					disabled={!mayRun}
					busy={restart.isPending}
					onClick={() => restart.mutate()}
				>
					Restart
				</Button>
			)}
			<Button
				small
				icon={isOff ? 'play' : 'stop'}
				disabled={!mayTurn}
				busy={turn.isPending}
				onClick={() => turn.mutate(isOff ? 'active' : 'inactive')}
			>
				{isOff ? 'Start' : 'Stop'}
			</Button>
		</>
	)
}
