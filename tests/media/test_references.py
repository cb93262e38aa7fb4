from hugginggpt.media.references import find_resources


def test_a_bare_name_means_the_file_whose_path_stands_in_the_request() -> None:
    named = find_resources("Is a cat in /examples/b.jpg? If b.jpg shows one, describe b.jpg and c.jpg")
    assert [one.text for one in named] == ["/examples/b.jpg", "/examples/b.jpg", "/examples/b.jpg", "c.jpg"]
