import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { parseJson } from './argument-form.ts'
import { refreshServers } from './queries.ts'

type Imported = Schemas['ImportedServer']

/** Registers the servers in a client's configuration, and reports the result for each. */
export function ImportForm({ onCancel }: { onCancel(): void }) {
	const queries = useQueryClient()
	const [text, setText] = useState('')
	const file = parseJson(text)
	const isFile = typeof file === 'object' && file !== null && !Array.isArray(file)
	const run = useMutation({
		mutationFn: (body: object) => unwrap(api.POST('/v1/mcp/servers/import', { body })),
		onSuccess: () => refreshServers(queries),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (isFile) run.mutate(file)
	}
	if (run.data)
		return (
			<>
				<Outcomes servers={run.data.mcp_servers} />
				<DialogActions>
					<Button onClick={() => run.reset()}>Import more</Button>
					<Button variant="primary" onClick={onCancel}>
						Done
					</Button>
				</DialogActions>
			</>
		)
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field
				label="Configuration of a client"
				hint="The configuration file of Claude, Cursor, VS Code and others: an object with mcpServers or servers. Headers are stored encrypted."
				error={text.trim() !== '' && !isFile ? 'This is not a JSON object' : undefined}
			>
				{(field) => (
					<Textarea
						{...field}
						required
						rows={10}
						spellCheck={false}
						autoComplete="off"
						placeholder={'{\n  "mcpServers": {\n    "tickets": { "url": "https://example.com/mcp" }\n  }\n}'}
						value={text}
						onChange={(event) => setText(event.target.value)}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			{run.error && <InlineError error={run.error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={run.isPending} disabled={!isFile}>
					Import
				</Button>
			</DialogActions>
		</form>
	)
}

const tones: Record<Imported['outcome'], Tone> = { created: 'ok', skipped: 'idle', refused: 'bad' }

function Outcomes({ servers }: { servers: readonly Imported[] }) {
	if (servers.length === 0) return <p className="text-ink-2">The file names no server.</p>
	return (
		<ul aria-label="Imported servers" className="grid max-h-80 gap-2 overflow-y-auto">
			{servers.map(({ name, outcome, id, detail }) => (
				<li key={name} className="flex items-start gap-3 rounded-lg border border-line px-3 py-2">
					<span className="min-w-0 flex-1">
						{id ? (
							<Link to="/servers/$serverId" params={{ serverId: id }} className="font-medium hover:underline">
								{name}
							</Link>
						) : (
							<span className="font-medium">{name}</span>
						)}
						{detail && <span className="block text-ink-2">{detail}</span>}
					</span>
					<Badge tone={tones[outcome]}>{outcome}</Badge>
				</li>
			))}
		</ul>
	)
}
