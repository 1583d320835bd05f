import { useMe } from '../areas/identity/session.ts'
import { workspacePath } from '../lib/base-url.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'

/** Shown for a link into a workspace of which the signed-in person is not a member. */
export function ForeignWorkspace({ named }: { named: string }) {
	const { user, workspaces } = useMe()
	return (
		<main className="grid min-h-dvh place-items-center">
			<h1 className="sr-only">Another workspace</h1>
			<Empty
				icon="search"
				title="This address belongs to another workspace"
				action={workspaces.map(({ id, slug, name }) => (
					<a key={id} href={`${workspacePath(slug)}/`} className={buttonClass()}>
						Open {name}
					</a>
				))}
			>
				{user.email} is not a member of the workspace {named}, or it does not exist. Ask one of its admins for
				an invitation, or open one of yours.
			</Empty>
		</main>
	)
}
