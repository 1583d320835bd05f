/** The classes of a link within text. */
export const linkClass = 'font-medium text-accent underline underline-offset-2'
