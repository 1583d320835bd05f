import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, take } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { serverQuery } from '../servers/queries.ts'

const route = getRouteApi('/_app/connect/$serverId')

/** A server that acts for somebody: nothing leaves for its authorization server before the person presses. */
export function ConnectScreen() {
	const { error } = route.useSearch()
	return (
		<Page
			title="Connect a server"
			description="Signalbox gets a token for it, keeps it sealed, and never shows it."
		>
			{error ? <Failed /> : <Connect />}
		</Page>
	)
}

function Failed() {
	return (
		<Notice tone="warn" title="The server is not connected">
			The way to its authorization server was finished before, took longer than ten minutes, began in another
			browser, or you said no there. Open the link of your client again.
		</Notice>
	)
}

function Connect() {
	const { serverId } = route.useParams()
	const { agent, scope, connected } = route.useSearch()
	const { data: server, error, refetch } = useQuery(serverQuery(serverId))
	const begin = useMutation({
		mutationFn: () =>
			take(
				api.POST('/v1/mcp/servers/{id}/oauth/authorize', {
					params: { path: { id: serverId } },
					body: { ...(agent && { agent_uuid: agent }), ...(scope && { scope }) },
				}),
			),
		onSuccess: ({ url }) => location.assign(url),
	})
	if (!server)
		return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={3} />
	if (connected)
		return (
			<Notice tone="ok" title={`${server.name} is connected`}>
				Go back to your client: its call goes on.{' '}
				<Link to="/servers/$serverId" params={{ serverId }} className={buttonClass('secondary', true)}>
					To the server
				</Link>
			</Notice>
		)
	return (
		<Panel title={server.name}>
			<div className="grid gap-4">
				<p className="text-ink-2">
					You are led to the authorization server of{' '}
					<strong className="break-all font-medium text-ink">{new URL(server.endpoint_url).host}</strong>,
					where you agree that Signalbox acts there{' '}
					{agent ? 'for one agent' : 'by the token that you give it'}
					{scope ? `, with the scopes ${scope}` : ''}.
				</p>
				<div>
					<Button variant="primary" busy={begin.isPending} onClick={() => begin.mutate()}>
						Continue
					</Button>
				</div>
				{begin.error && <InlineError error={begin.error} />}
			</div>
		</Panel>
	)
}
