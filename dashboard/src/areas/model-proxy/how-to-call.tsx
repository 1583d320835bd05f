import { tokenPrefixes } from '@signalbox/contract/constants'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { clientSettings } from './client-settings.ts'
import type { Connection } from './queries.ts'

export function HowToCall({ connection, onClose }: { connection: Connection; onClose(): void }) {
	return (
		<>
			<p className="mb-3 text-ink-2">
				{connection.name} is ready. Give any client these two, with an agent’s key or a platform key:
			</p>
			<CodeBlock label="For the client" code={clientSettings(connection, `${tokenPrefixes.key}…`)} />
			<DialogActions>
				<Button variant="primary" onClick={onClose}>
					Done
				</Button>
			</DialogActions>
		</>
	)
}
