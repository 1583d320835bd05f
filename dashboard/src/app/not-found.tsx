import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'

export function NotFound() {
	return (
		<div className="grid min-h-[80dvh] place-items-center">
			<h1 className="sr-only">Not found</h1>
			<Empty
				icon="search"
				title="Nothing here"
				action={
					<Link to="/" className={buttonClass('primary')}>
						Go to Home
					</Link>
				}
			>
				The link may be outdated, or what it pointed to was deleted.
			</Empty>
		</div>
	)
}
