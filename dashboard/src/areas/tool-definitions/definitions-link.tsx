import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Badge } from '../../ui/status.tsx'
import { pendingDefinitionsQuery } from './queries.ts'

/** A link from a server to its tool definitions, with the number of pending ones. */
export function DefinitionsLink({ serverId }: { serverId: string }) {
	const { data } = useQuery(pendingDefinitionsQuery)
	const waiting = data?.pending.filter(({ server }) => server.id === serverId).length ?? 0
	return (
		<Link to="/servers/$serverId/definitions" params={{ serverId }} className={buttonClass()}>
			<Icon name="review" />
			Tool definitions
			{waiting > 0 && <Badge tone="warn">{waiting} waiting</Badge>}
		</Link>
	)
}
