import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useCan } from '../identity/session.ts'
import type { Server } from '../servers/queries.ts'
import { useCredentials } from './queries.ts'

/** For a server that needs no credentials. */
export function NoCredentials({ server, isCurrent }: { server: Server; isCurrent: boolean }) {
	const canChange = useCan('servers:write')
	const { setHeaders } = useCredentials(server.id)
	if (isCurrent) return <p className="text-ink-2">The server gets requests without a credential.</p>
	return (
		<>
			<p className="text-ink-2">
				The server will get requests without a credential. Its stored headers are erased, and its tokens
				forgotten.
			</p>
			{setHeaders.error && <InlineError error={setHeaders.error} />}
			<Button
				variant="danger"
				className="justify-self-start"
				disabled={!canChange}
				busy={setHeaders.isPending}
				onClick={() => setHeaders.mutate({})}
			>
				Send no credentials
			</Button>
		</>
	)
}
