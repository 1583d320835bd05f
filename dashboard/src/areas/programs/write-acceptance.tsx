import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type Program, useProgram } from './queries.ts'

/** With a sandbox a click is enough. Without one an owner must type the sentence; nothing fills it in for them. */
export function Acceptance({ serverId, program }: { serverId: string; program: Program }) {
	const sentence = program.acceptance_sentence
	return program.sandbox === 'none' ? (
		<WriteAcceptance serverId={serverId} sentence={sentence} />
	) : (
		<AcceptInSandbox serverId={serverId} sentence={sentence} />
	)
}

function AcceptInSandbox({ serverId, sentence }: { serverId: string; sentence: string }) {
	const canChange = useCan('programs:write')
	const { accept } = useProgram(serverId)
	return (
		<div className="grid max-w-2xl gap-3 rounded-lg border border-line p-4">
			<p className="text-ink-2">
				It starts when somebody has accepted it as it is now. Another command, variable or package asks again.
			</p>
			<p className="rounded-md bg-sunken px-3 py-2">{sentence}</p>
			<RoleHint needs="programs:write" what="accept this" />
			{accept.error && <InlineError error={accept.error} />}
			<Button
				variant="primary"
				className="justify-self-start"
				busy={accept.isPending}
				disabled={!canChange}
				onClick={() => accept.mutate(sentence)}
			>
				Accept and start
			</Button>
		</div>
	)
}

function WriteAcceptance({ serverId, sentence }: { serverId: string; sentence: string }) {
	const [written, setWritten] = useState('')
	const mayAccept = useCan(['programs:write', 'programs:run-without-sandbox'])
	const { accept } = useProgram(serverId)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		accept.mutate(written)
	}
	return (
		<form onSubmit={submit} className="grid max-w-2xl gap-3 rounded-lg border border-line p-4">
			<h3 className="font-semibold">Run it without a sandbox?</h3>
			<p className="text-ink-2">
				Better: install bubblewrap on the machine. Else an owner writes this sentence below; it is kept in the
				audit log with the command.
			</p>
			<p className="rounded-md bg-sunken px-3 py-2 select-none">{sentence}</p>
			<RoleHint needs={['programs:write', 'programs:run-without-sandbox']} what="accept this" />
			<Field label="The sentence, exactly as shown">
				{(field) => (
					<Textarea
						{...field}
						rows={3}
						autoComplete="off"
						disabled={!mayAccept}
						value={written}
						onChange={(event) => setWritten(event.target.value)}
					/>
				)}
			</Field>
			{accept.error && <InlineError error={accept.error} />}
			<Button
				type="submit"
				variant="danger"
				className="justify-self-start"
				busy={accept.isPending}
				disabled={!mayAccept || written !== sentence}
			>
				Accept in writing
			</Button>
		</form>
	)
}
