import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { firingQuery } from './queries.ts'

/** A link to the alerts in the head of a screen, with the number of firing ones. */
export function AlertsLink() {
	const firing = useQuery(firingQuery).data?.pagination.total ?? 0
	return (
		<Link to="/alerts" className={buttonClass()}>
			<Icon name="alert" className={firing > 0 ? 'text-bad' : ''} />
			{firing > 0 ? `${firing} ${firing === 1 ? 'alert firing' : 'alerts firing'}` : 'Alerts'}
		</Link>
	)
}
