import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import type { Server } from '../servers/queries.ts'
import { ConnectionsPanel } from './connections-panel.tsx'
import { HeadersForm } from './headers-form.tsx'
import { NoCredentials } from './no-credentials.tsx'
import { OauthForm } from './oauth-form.tsx'
import { authQuery, type UpstreamAuth } from './queries.ts'

type Way = 'none' | 'headers' | 'oauth'

const ways = [
	{ value: 'none', label: 'None' },
	{ value: 'headers', label: 'Headers' },
	{ value: 'oauth', label: 'OAuth' },
] as const satisfies readonly { value: Way; label: string }[]

/** The credentials that Signalbox sends to a server, and whose tokens it has. */
export function CredentialsTab({ server }: { server: Server }) {
	const { data: auth, error, refetch } = useQuery(authQuery(server.id))
	if (!auth)
		return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={5} />
	return (
		<div className="grid gap-4">
			<RoleHint needs="servers:write" what="change the credentials" />
			<Sent key={wayOf(server, auth)} server={server} auth={auth} />
			{auth.mode === 'authorization_code' && <ConnectionsPanel server={server} auth={auth} />}
		</div>
	)
}

function wayOf({ header_names }: Server, { mode }: UpstreamAuth): Way {
	if (mode !== 'none') return 'oauth'
	return header_names.length > 0 ? 'headers' : 'none'
}

function Sent({ server, auth }: { server: Server; auth: UpstreamAuth }) {
	const current = wayOf(server, auth)
	const [way, setWay] = useState<Way>(current)
	return (
		<Panel title="Credentials sent upstream">
			<div className="grid max-w-2xl gap-4">
				<Segmented<Way>
					label="Credentials sent upstream"
					value={way}
					options={ways}
					disabled={!useCan('servers:write')}
					onChange={setWay}
				/>
				{way === 'none' && <NoCredentials server={server} isCurrent={current === 'none'} />}
				{way === 'headers' && <HeadersForm server={server} />}
				{way === 'oauth' && (
					<OauthForm
						key={JSON.stringify(auth)}
						serverId={server.id}
						auth={auth}
						hasHeaders={server.header_names.length > 0}
					/>
				)}
			</div>
		</Panel>
	)
}
