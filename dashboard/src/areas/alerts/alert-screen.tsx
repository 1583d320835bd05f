import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { uiPath } from '../../lib/base-url.ts'
import { formatDateTime } from '../../lib/format.ts'
import { linkClass, parentLink } from '../../ui/link.ts'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { AlertActions } from './alert-actions.tsx'
import { AlertHistory } from './alert-history.tsx'
import { AlertSettings } from './alert-settings.tsx'
import { AlertState, isMuted } from './alert-state.tsx'
import { type Alert, alertQuery } from './queries.ts'

const route = getRouteApi('/_app/alerts/$alertId')

/** What does the alert report, when did that change, and who was notified? */
export function AlertScreen() {
	const { alertId } = route.useParams()
	const { data: alert, error, refetch } = useQuery(alertQuery(alertId))
	if (!alert)
		return (
			<Page title="Alert">
				{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
			</Page>
		)
	return (
		<Page
			title={alert.name}
			above={
				<Link to="/alerts" {...parentLink}>
					Alerts
				</Link>
			}
			beside={<AlertState alert={alert} />}
			actions={<AlertActions alert={alert} />}
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
				<Panel title="State">
					<Facts facts={factsOf(alert)} />
				</Panel>
				<AlertHistory id={alert.id} />
				<AlertSettings key={alert.id} alert={alert} />
			</div>
		</Page>
	)
}

const emailStates: Record<NonNullable<Alert['state']['mail']>, string> = {
	waiting: 'on their way',
	sent: 'sent',
	failed: 'could not be sent; the log of the program says why',
	no_mail_server: 'not sent: this instance has no mail server (SIGNALBOX_SMTP_URL)',
}

function factsOf(alert: Alert) {
	const { text, url, since, evaluated_at, mail } = alert.state
	return [
		['Finding', text],
		[
			'Where',
			<a key="url" href={pathOf(url)} className={linkClass}>
				View matching calls
			</a>,
		],
		['Since', <Ago key="since" at={since} />],
		['Last evaluated', <Ago key="evaluated" at={evaluated_at} never="not yet" />],
		...(isMuted(alert) ? ([['Muted until', formatDateTime(alert.muted_until ?? '')]] as const) : []),
		...(mail ? ([['E-mails', emailStates[mail]]] as const) : []),
	] as const
}

/** The path in this dashboard, at whatever address the instance is reached. */
function pathOf(url: string): string {
	const { pathname, search } = new URL(url)
	return `${uiPath()}${pathname.split('/ui')[1]?.replace(/^\/w\/[^/]+/, '') ?? ''}${search}`
}
