import type { ComponentProps } from 'react'

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSend: () => unknown
}

/** A form that is sent without leaving the page. */
export const Form = ({ onSend, ...props }: Props) => (
  <form
    {...props}
    onSubmit={event => {
      event.preventDefault()
      void onSend()
    }}
  />
)
