import os
import subprocess


def run(command):
    password = "not-a-real-one"
    subprocess.call(command, shell=True)
    assert command
    return eval(command)
