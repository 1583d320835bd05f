import { useQuery } from '@tanstack/react-query'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import type { Server } from '../servers/queries.ts'
import { CommandPanel } from './command-panel.tsx'
import { programQuery } from './queries.ts'
import { SandboxPanel } from './sandbox-panel.tsx'
import { StatePanel } from './state-panel.tsx'

/** The program of a hosted server. */
export function ProgramTab({ server }: { server: Server }) {
	const { data: program, error, refetch } = useQuery(programQuery(server.id))
	if (!program)
		return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={6} />
	return (
		<div className="grid gap-4">
			<RoleHint needs={['programs:write', 'servers:write']} what="change a program" />
			<StatePanel server={server} program={program} />
			<SandboxPanel serverId={server.id} program={program} />
			<CommandPanel key={JSON.stringify([server.command, server.args])} server={server} />
		</div>
	)
}
