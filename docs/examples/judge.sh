# An outside judge in a few lines: reads a question, writes an answer, at once.
while read -r line; do
  case "$line" in
  *barnacle*|*intertidal*) echo '{"score":0.9,"because":["it names what lives between the tides"]}' ;;
  *) echo '{"score":0.1,"because":["nothing of the shore in it"]}' ;;
  esac
done
