import { Field, Input, Textarea } from '../../ui/field.tsx'

/** The fields of a program; arguments, variables and hosts are one per line. */
export interface ProgramDraft {
	command: string
	args: string
	env: string
}

interface ProgramFieldsProps {
	draft: ProgramDraft
	onChange(draft: ProgramDraft): void
	/** Whether each line of the environment has a name and a value. */
	isEnvRead: boolean
	/** Names of the stored variables; absent for a new program. */
	stored?: readonly string[]
	disabled?: boolean
}

/** The command of a program, with its arguments and variables. */
export function ProgramFields({ draft, onChange, isEnvRead, stored, disabled }: ProgramFieldsProps) {
	const lines = (name: 'args' | 'env') => ({
		disabled,
		spellCheck: false,
		autoComplete: 'off',
		value: draft[name],
		className: 'font-mono text-xs',
		onChange: (event: { target: { value: string } }) => onChange({ ...draft, [name]: event.target.value }),
	})
	return (
		<>
			<Field
				label="Command"
				hint="The executable only. npx installs a package from the npm registry; anything else must be on the machine."
			>
				{(field) => (
					<Input
						{...field}
						required
						maxLength={1024}
						disabled={disabled}
						value={draft.command}
						onChange={(event) => onChange({ ...draft, command: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<Field
				label="Arguments"
				optional
				hint="One per line; with npx, the package first, for example name@version"
			>
				{(field) => (
					<Textarea {...field} {...lines('args')} rows={Math.max(3, draft.args.split('\n').length)} />
				)}
			</Field>
			<Field
				label={stored?.length ? 'New environment' : 'Environment'}
				optional
				hint={
					stored?.length
						? 'Replaces all stored variables; leave empty to keep them. One per line, for example TOKEN=…'
						: 'One per line, for example TOKEN=… Values are encrypted and never shown again.'
				}
				error={isEnvRead ? undefined : 'Each line needs a name, = and a value'}
			>
				{(field) => <Textarea {...field} {...lines('env')} />}
			</Field>
		</>
	)
}
