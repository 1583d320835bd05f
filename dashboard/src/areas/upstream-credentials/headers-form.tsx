import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { useCan } from '../identity/session.ts'
import { parseHeaders } from '../servers/parse-headers.ts'
import type { Server } from '../servers/queries.ts'
import { useCredentials } from './queries.ts'

/** Headers that are sent with every call, stored sealed; saving replaces all of them. */
export function HeadersForm({ server }: { server: Server }) {
	const [text, setText] = useState('')
	const canChange = useCan('servers:write')
	const { setHeaders } = useCredentials(server.id)
	const headers = parseHeaders(text)
	const isStored = server.header_names.length > 0
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (headers) setHeaders.mutate(headers, { onSuccess: () => setText('') })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			{isStored && (
				<ul aria-label="Stored headers" className="flex flex-wrap gap-1.5">
					{server.header_names.map((name) => (
						<li key={name}>
							<Badge tone="idle" icon="key">
								<span className="font-mono">{name}</span> is set
							</Badge>
						</li>
					))}
				</ul>
			)}
			<Field
				label={isStored ? 'New headers' : 'Headers sent to the server'}
				hint={`One per line, for example Authorization: Bearer … They are encrypted and never shown again.${isStored ? ' They take the place of all that are set.' : ''}`}
				error={headers ? undefined : 'Each line needs a name, a colon and a value'}
			>
				{(field) => (
					<Textarea
						{...field}
						required
						spellCheck={false}
						autoComplete="off"
						disabled={!canChange}
						value={text}
						onChange={(event) => setText(event.target.value)}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			{setHeaders.error && <InlineError error={setHeaders.error} />}
			<Button
				type="submit"
				variant="primary"
				className="justify-self-start"
				busy={setHeaders.isPending}
				disabled={!canChange || !headers || text.trim() === ''}
			>
				Save headers
			</Button>
		</form>
	)
}
