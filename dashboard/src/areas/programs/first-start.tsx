import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { Tone } from '../../ui/status.tsx'
import { serverQuery } from '../servers/queries.ts'
import { describeSandbox, describeState, needsAcceptance } from './describe-program.ts'
import { programQuery } from './queries.ts'
import { Acceptance } from './write-acceptance.tsx'

const notices = {
	ok: 'ok',
	warn: 'warn',
	bad: 'bad',
	idle: 'idle',
	accent: 'idle',
} as const satisfies Record<Tone, string>

/** Follows the installation and the first start of a program that was just registered. */
export function FirstStart({ serverId }: { serverId: string }) {
	const { data: server } = useQuery({ ...serverQuery(serverId), refetchInterval: 2000 })
	const { data: program } = useQuery(programQuery(serverId))
	if (!server || !program) return <Skeleton className="h-16" />
	const { tone, title, text } = describeState(server.status, program)
	const isolation = describeSandbox(program)
	return (
		<div className="grid gap-3" role="status">
			<Notice tone={notices[tone]} title={`The program: ${title}`}>
				{text}
			</Notice>
			<Notice tone={notices[isolation.tone]} title={`Isolation: ${isolation.title}`}>
				{isolation.text}
			</Notice>
			{server.status === 'active' && needsAcceptance(program) && (
				<Acceptance serverId={serverId} program={program} />
			)}
		</div>
	)
}
