import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Server, serverQuery } from '../servers/queries.ts'
import { ConnectForm } from './connect-form.tsx'
import { authQuery } from './queries.ts'

const route = getRouteApi('/_app/connect/$serverId')

/** Connects a person's account at a server. Nothing is sent to its authorization server before the person clicks. */
export function ConnectScreen() {
	const { error, connected } = route.useSearch()
	return (
		<Page
			title="Connect a server"
			description="Signalbox obtains a token, stores it encrypted, and never shows it."
		>
			<div className="max-w-2xl">{error ? <Failed /> : <Loaded isDone={connected === true} />}</div>
		</Page>
	)
}

function Failed() {
	return (
		<div className="grid gap-4">
			<Notice tone="warn" title="The server is not connected">
				The way to its authorization server was finished before, took longer than ten minutes, began in
				another browser, or you said no there. Nothing was stored.
			</Notice>
			<p className="text-ink-2">
				Open the link of your client again, or begin at the server, under Credentials.
			</p>
			<div>
				<Link to="/servers" className={buttonClass()}>
					To the servers
				</Link>
			</div>
		</div>
	)
}

function Loaded({ isDone }: { isDone: boolean }) {
	const { serverId } = route.useParams()
	const { agent, scope } = route.useSearch()
	const server = useQuery(serverQuery(serverId))
	const auth = useQuery(authQuery(serverId))
	const error = server.error ?? auth.error
	const retry = () => void Promise.all([server.refetch(), auth.refetch()])
	if (!server.data || !auth.data)
		return error ? <ErrorState error={error} retry={retry} /> : <SkeletonRows rows={3} />
	if (isDone) return <Done server={server.data} />
	if (auth.data.mode !== 'authorization_code') return <NotNeeded server={server.data} />
	return (
		<Panel title={server.data.name}>
			<ConnectForm server={server.data} auth={auth.data} agentId={agent} scope={scope} />
		</Panel>
	)
}

function Done({ server }: { server: Server }) {
	return (
		<div className="grid gap-4">
			<Notice tone="ok" title={`${server.name} is connected`}>
				Go back to your client: its call goes on. If it does not, send it again.
			</Notice>
			<ToServer server={server} />
		</div>
	)
}

function NotNeeded({ server }: { server: Server }) {
	return (
		<div className="grid gap-4">
			<Notice tone="idle" title={`${server.name} needs no connection`}>
				Nobody has to agree to anything there. An admin can change that under Credentials.
			</Notice>
			<ToServer server={server} />
		</div>
	)
}

function ToServer({ server }: { server: Server }) {
	return (
		<div>
			<Link
				to="/servers/$serverId"
				params={{ serverId: server.id }}
				search={{ tab: 'credentials' }}
				className={buttonClass()}
			>
				To the server
			</Link>
		</div>
	)
}
