import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

const box =
	'w-full rounded-md border border-field bg-surface px-2.5 text-ink placeholder:text-ink-3 hover:border-ink-3 aria-invalid:border-bad focus-visible:outline-offset-0 disabled:border-line disabled:bg-sunken disabled:text-ink-3'

interface FieldProps {
	label: string
	hint?: ReactNode
	error?: string | undefined
	optional?: boolean
	children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A labelled field. Screen readers read its hint and its error together with it. */
export function Field({ label, hint, error, optional, children }: FieldProps) {
	const id = useId()
	const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined
	return (
		<div className="grid gap-1">
			<label htmlFor={id} className="font-medium text-ink">
				{label}
				{optional && <span className="ml-1 font-normal text-ink-3"> optional</span>}
			</label>
			{children({
				id,
				...(described && { 'aria-describedby': described }),
				...(error && { 'aria-invalid': true as const }),
			})}
			{error ? (
				<p id={`${id}-error`} className="text-bad">
					{error}
				</p>
			) : (
				hint && (
					<p id={`${id}-hint`} className="text-xs text-ink-3">
						{hint}
					</p>
				)
			)}
		</div>
	)
}

export function Input(props: ComponentProps<'input'>) {
	return <input {...props} className={cn(box, 'h-8', props.className)} />
}

export function Textarea(props: ComponentProps<'textarea'>) {
	return <textarea {...props} className={cn(box, 'min-h-16 py-1.5', props.className)} />
}

export function Select(props: ComponentProps<'select'>) {
	return <select {...props} className={cn(box, 'h-8 pr-1', props.className)} />
}

/** A search box without a visible label. */
export function SearchInput({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
	return (
		<input
			type="search"
			aria-label={label}
			placeholder={label}
			{...rest}
			className={cn(box, 'h-8 max-w-64', rest.className)}
		/>
	)
}
